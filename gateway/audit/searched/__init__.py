"""The trail as somebody searches it: about a subject, by an actor, on a day."""
