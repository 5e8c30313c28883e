"""What partners do by themselves: rules and views of the partner API, without any HTTP."""
