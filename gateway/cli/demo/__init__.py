"""The demo: the whole gateway on this machine, with people, an outlet and tokens to try it on."""
