"""Statement lines against what we booked: theirs only, ours only, amounts that differ, twice."""
