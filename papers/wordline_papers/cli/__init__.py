"""The command `wordline reproduce`, which the entry point group `wordline.commands` adds."""
