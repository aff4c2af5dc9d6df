"""Read ComfyUI graphs by tracing from this image's output node; nothing is found by a node's number or title.

`graph` holds nodes and links, `ui` turns the editor's form into the executed form, `outputs` chooses where to
start, `sampling` finds the first sampler and its settings, `texts` and `conditioning` follow prompts, `models` and
`loras` follow the model upstream, `draft` puts it together.
"""
