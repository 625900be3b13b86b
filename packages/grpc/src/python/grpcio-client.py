"""Calls a service of all four kinds by reflection, without generated code, and prints the results as JSON."""

import json
import sys
import threading

import grpc
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

target = sys.argv[1]
channel = grpc.insecure_channel(target)
database = ProtoReflectionDescriptorDatabase(channel)
pool = DescriptorPool(database)
service = pool.FindServiceByName("books.v1.Catalog")


def message(descriptor, value):
    return json_format.ParseDict(value, message_factory.GetMessageClass(descriptor)())


def plain(value):
    return json_format.MessageToDict(value, preserving_proto_field_name=True)


def call(name):
    method = service.FindMethodByName(name)
    kind = ("stream" if method.client_streaming else "unary") + "_" + ("stream" if method.server_streaming else "unary")
    reply_type = message_factory.GetMessageClass(method.output_type)
    make = getattr(channel, kind)
    stub = make(
        f"/books.v1.Catalog/{name}",
        request_serializer=lambda value: value.SerializeToString(),
        response_deserializer=reply_type.FromString,
    )
    return stub, lambda value: message(method.input_type, value)


def failed(work):
    try:
        work()
        return None
    except grpc.RpcError as error:
        trailers = {key: (value.hex() if isinstance(value, bytes) else value) for key, value in error.trailing_metadata()}
        return [error.code().name, error.details(), trailers]


seen = {"services": sorted(database.get_services())}
get, book_request = call("GetBook")
reply, state = get.with_call(book_request({"id": 7}), timeout=30, metadata=[("x-title", "Dune"), ("x-raw-bin", b"\x00\xff")])
seen["unary"] = plain(reply)
seen["headers"] = dict(state.initial_metadata()).get("x-served-by")
seen["trailers"] = dict(state.trailing_metadata()).get("x-raw-bin", b"").hex()
seen["missing"] = failed(lambda: get(book_request({"id": 404}), timeout=30))
seen["late"] = failed(lambda: get(book_request({"id": 408}), timeout=0.2))

many, list_request = call("ListBooks")
seen["stream"] = [int(plain(each)["id"]) for each in many(list_request({"count": 50}), timeout=30)]
cancelled = many(list_request({"count": 1000000}), timeout=30)
next(iter(cancelled))
cancelled.cancel()
seen["cancelled"] = failed(lambda: list(cancelled))[0]

add, book = call("AddBooks")
seen["added"] = plain(add(iter([book({"id": 1, "title": "a", "tags": ["x"]}), book({"id": 2, "title": "b"})]), timeout=30))

chat, line = call("Chat")
received = threading.Event()


def lines():
    yield line({"text": "one"})
    received.wait(30)
    yield line({"text": "two"})


texts = []
for each in chat(lines(), timeout=30):
    texts.append(plain(each)["text"])
    received.set()
seen["chat"] = texts
print(json.dumps(seen))
