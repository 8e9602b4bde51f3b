"""Loads of applications, as flows with placement handles: shares of space and of bytes are arguments."""

from .cachelib import cachelib
from .named import APPLICATIONS, application
from .objects import kv_objects
from .part import Application
from .rocksdb import rocksdb
from .tenants import tenants

__all__ = ["APPLICATIONS", "Application", "application", "cachelib", "kv_objects", "rocksdb", "tenants"]
