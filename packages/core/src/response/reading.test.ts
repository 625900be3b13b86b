import { expect, test } from "@jest/globals";
import { Response } from "./response.ts";

test("contentLength counts bytes and is null for a stream of unknown length", () => {
  const lengths = [
    new Response("é€😀"),
    new Response(),
    new Response(Uint8Array.of(1)),
    new Response(new Blob(["é"])),
    Response.stream(["a"]),
  ];
  expect(lengths.map((response) => response.contentLength)).toEqual([9, 0, 1, 2, null]);
});

test("reads a body with every method of the web's Response", async () => {
  const bytes = new TextEncoder().encode('{"a":"é"}');
  const make = () => Response.json({ a: "é" });
  expect(await make().json()).toEqual({ a: "é" });
  expect(await make().bytes()).toEqual(bytes);
  expect(new Uint8Array(await make().arrayBuffer())).toEqual(bytes);
  expect((await make().blob()).type).toBe("application/json");
  expect(await (await make().blob()).text()).toBe('{"a":"é"}');
  expect(await Response.stream(make().textStream()).text()).toBe('{"a":"é"}');
  expect(await Response.stream(new Response().textStream()).text()).toBe("");
  const form = new Response(new URLSearchParams({ a: "1" }));
  expect((await form.formData()).get("a")).toBe("1");
  expect(await new Response("\uFEFFa\ud800").text()).toBe("a\ufffd");
});

test("a second read is a TypeError, but a body in memory can still be sent", async () => {
  const response = new Response("a");
  expect(response.bodyUsed).toBe(false);
  await response.text();
  expect(response.bodyUsed).toBe(true);
  await expect(response.text()).rejects.toThrow(TypeError);
  await expect(response.json()).rejects.toThrow(TypeError);
  expect(() => response.clone()).toThrow(TypeError);
  expect(response.payload).toBe("a");
});

test("a reply without a body can be read any number of times", async () => {
  const response = new Response();
  expect([response.body, await response.text(), await response.text(), response.bodyUsed]).toEqual([
    null,
    "",
    "",
    false,
  ]);
});

test("body is one stream, and accessing it reads nothing", async () => {
  const response = new Response("héllo");
  const { body } = response;
  expect(response.body).toBe(body);
  expect([response.bodyUsed, response.payload]).toEqual([false, "héllo"]);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await expect(response.text()).rejects.toThrow(TypeError);
  expect((await reader.read()).value).toEqual(new TextEncoder().encode("héllo"));
  expect(response.bodyUsed).toBe(true);
});

test("a new payload replaces the body", async () => {
  const response = new Response("a");
  await response.text();
  response.payload = "b";
  expect(response.bodyUsed).toBe(false);
  expect(await new globalThis.Response(response.body).text()).toBe("b");
});

test("clones have separate fields, and each has the complete body", async () => {
  for (const body of ["ab", ReadableStream.from(["a", "b"])]) {
    const response = new Response(body, { status: 201, headers: { "x-a": "1" } });
    const copy = response.clone();
    copy.setHeader("x-a", "2");
    copy.status = 202;
    expect([response.headers.get("x-a"), response.status]).toEqual(["1", 201]);
    expect(await Promise.all([response.text(), copy.text()])).toEqual(["ab", "ab"]);
  }
  expect(Response.json(1).clone().contentType).toBe("application/json");
  expect(new Response(new Blob(["abc"])).clone().contentLength).toBe(3);
});

test.each(["text", "stream"])(
  "a %s body with a reader cannot be cloned, even if nothing was read",
  (kind) => {
    const response = new Response(kind === "text" ? "a" : ReadableStream.from(["a"]));
    response.body?.getReader();
    expect(() => response.clone()).toThrow(TypeError);
  },
);

test("clone locks a stream that was accessed before, and both replies have the complete body", async () => {
  const response = new Response(ReadableStream.from(["a", "b"]));
  const { body } = response;
  const copy = response.clone();
  expect(body?.locked).toBe(true);
  expect(await Promise.all([response.text(), copy.text()])).toEqual(["ab", "ab"]);
});
