"""
The launch plan: what is needed to launch a kernel, as data.

`plan` is the plan, made of the arguments, kernel parameters and checks of `records`;
`attributes` and `fields` are its form in IR, the dictionary `croq.launch`. What depends
on extents is an affine map (`dim_maps`), which is evaluated without xDSL.
"""
