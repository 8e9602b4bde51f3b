"""Everything a run leaves behind, one file an output.

All of it is made from a run's JSON document (`Result.to_dict()`) and its Arrow tables, never inside a run,
and all of it imports what it needs late: the command line has to answer quickly.
"""
