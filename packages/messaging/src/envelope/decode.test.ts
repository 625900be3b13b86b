import { expect, test } from "@jest/globals";
import type { Delivery } from "../port/delivery.ts";
import { decode } from "./decode.ts";
import { newHeaders } from "./event.ts";

const delivery = (body: string | Uint8Array, headers: Record<string, string> = {}): Delivery => ({
  topic: "topic",
  partition: "0",
  offset: "7",
  key: null,
  headers: Object.assign(newHeaders(), headers),
  body,
  tries: null,
  deliveries: null,
  isRedelivered: false,
  sentAt: null,
});

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test("a byte order mark before JSON is skipped, in strings and in bytes", () => {
  const event = '\uFEFF{"specversion":"1.0","id":"1","type":"t","source":"/s","data":"\uFEFF"}';
  const headers = { "content-type": "application/cloudevents+json" };
  for (const body of [event, bytesOf(event)])
    expect(decode(delivery(body, headers), false).data).toBe("\uFEFF");
  for (const body of ["\uFEFF[1]", bytesOf("\uFEFF[1]")])
    expect(decode(delivery(body), true).data).toEqual([1]);
});

test("a message keeps dead-letter headers, but not headers of retries and replays", () => {
  const headers = {
    "framework-tries": "1",
    "framework-not-before": "1",
    "framework-group": "g",
    "framework-dead-code": "E",
    a: "1",
  };
  const expected = { "framework-dead-code": "E", a: "1" };
  expect({ ...decode(delivery("1", headers), true).headers }).toEqual(expected);
});

test("data that is not JSON is a copy, so that a handler cannot change the delivery", () => {
  const body = Uint8Array.of(1, 2);
  const headers = {
    ce_specversion: "1.0",
    ce_id: "1",
    ce_type: "t",
    ce_source: "/s",
    "content-type": "image/png",
  };
  const { data } = decode(delivery(body, headers), false);
  (data as Uint8Array).fill(0);
  expect(data).toEqual(Uint8Array.of(0, 0));
  expect(body).toEqual(Uint8Array.of(1, 2));
});

test("data that is not JSON stays a Buffer if the broker's client returns one", () => {
  const headers = {
    ce_specversion: "1.0",
    ce_id: "1",
    ce_type: "t",
    ce_source: "/s",
    "content-type": "text/csv",
  };
  const body = Buffer.from("a;b");
  const { data } = decode(delivery(body, headers), false);
  body.fill(0);
  expect([Buffer.isBuffer(data), String(data)]).toEqual([true, "a;b"]);
});

test("an event whose id has a lone surrogate is refused: databases store U+FFFD for each, so that the inbox could not distinguish two ids", () => {
  const headers = { "content-type": "application/cloudevents+json" };
  for (const id of ["\\ud800", "a\\udfff"]) {
    const event = `{"specversion":"1.0","id":"${id}","type":"t","source":"/s"}`;
    expect(() => decode(delivery(event, headers), false)).toThrow("its id must be a string of at most 512");
  }
});

test("a raw message with an empty message-id has the id of its broker or its position", () => {
  const raw = delivery("1", { "message-id": "" });
  expect(decode(raw, true).id).toBe("topic/0/7");
  expect(decode({ ...raw, id: "7a" }, true).id).toBe("7a");
});
