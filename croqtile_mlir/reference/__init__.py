"""What a kernel computes, as text that is parsed and evaluated, never run as code.

One assignment is in `assignment`, several with functions in `programs`; `text` is what
both are read with.
"""
