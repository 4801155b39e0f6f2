"""Runs the script of transforms/testsets/senteval that prints what SentEval's loaders read.

Usage: loaders.py SCRIPT SENTEVAL FOLDER TASK,... plain|shim|unescape

SentEval makes arrays of lists of unequal lengths, which NumPy takes for objects before
1.24 and refuses since: it takes them for objects here, whatever the version is.
"""
import runpy
import sys

import numpy

make = numpy.array


def array(values, *args, **kwargs):
    try:
        return make(values, *args, **kwargs)
    except ValueError:
        return make(values, dtype=object)


numpy.array = array
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
