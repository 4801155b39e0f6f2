# OpenAI's own client asks the server at an address for models and vectors, and prints what it got.
import json
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key=sys.argv[2], max_retries=0)
create = client.embeddings.create


def refused(**request):
    try:
        create(**request)
    except openai.APIStatusError as e:
        return [type(e).__name__, e.status_code, e.body["message"]]


def vectors(**request):
    answer = create(**request)
    return [d.embedding for d in sorted(answer.data, key=lambda d: d.index)]


usage = create(model="a", input=["zebra", "b"]).usage
print(json.dumps({
    "Models": [m.id for m in client.models.list()] + [client.models.retrieve("b").id],
    "Base64": vectors(model="a", input=["zebra", "b"]),  # what the client asks for by itself
    "Floats": vectors(model="a", input=["zebra", "b"], encoding_format="float"),
    "Short": vectors(model="b", input="", dimensions=1),
    "Prompted": vectors(model="a", input="zebra", extra_body={"prompt_name": "query"}),
    "Tokens": usage.total_tokens,
    "Refused": [refused(model="c", input="b"), refused(model="a", input=[1, 2]), refused(model="a", input="b", dimensions=9)],
}))
