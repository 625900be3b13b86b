import { App } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, type Message, messaging, type NewMessage } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const withBroker = () => new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });

/** Creates nested arrays with a number of levels. */
const nested = (levels: number): unknown => {
  let data: unknown = [];
  for (let level = 1; level < levels; level++) data = [data];
  return data;
};

test.each([
  [{ type: "" }, "type must be a string"],
  [{ type: "t\n" }, "type must be a string"],
  [{ type: "t", id: "x".repeat(600) }, "id must be a string"],
  [{ type: "t", key: "\uD800" }, "key must be a string"],
  [{ type: "t", time: new Date(Number.NaN) }, "time must be a valid Date"],
  [{ type: "t", time: new Date(8.64e15) }, "time must be a valid Date of the years 0 to 9999"],
  [{ type: "t", time: new Date("-000001-12-31T23:59:59.999Z") }, "of the years 0 to 9999"],
  [{ type: "t", source: "a b" }, "source must be a URI reference"],
  [{ type: "t", source: "50%" }, "source must be a URI reference"],
  [{ type: "t", source: "/" + "x".repeat(512) }, "source must be a URI reference of 1 to 512 characters"],
  [{ type: "t", data: 1n }, "its data cannot be written as JSON: $ is a bigint"],
  [{ type: "t", data: () => 1 }, "its data cannot be written as JSON: $ is a function"],
  [{ type: "t", data: { kind: Symbol("a") } }, "its data loses a value: $.kind is a symbol"],
  [{ type: "t", data: { total: Number.NaN } }, "$.total is NaN, which JSON writes as null"],
  [{ type: "t", data: new Date(Number.NaN) }, "its data loses a value: $ is an invalid date, which"],
  [{ type: "t", data: { file: new Uint8Array(2) } }, "$.file is a Uint8Array"],
  [{ type: "t", data: { tags: new Set(["a"]) } }, "$.tags is a Set, which JSON writes as {}"],
  [{ type: "t", data: nested(129) }, "deeper than 128 levels"],
  [{ type: "t", headers: { "content-type": "x" } }, "an invalid or reserved name"],
  [{ type: "t", headers: { ce_id: "x" } }, "an invalid or reserved name"],
  [{ type: "t", headers: { "framework-group": "x" } }, "an invalid or reserved name"],
  [{ type: "t", headers: { A: "1", a: "2" } }, 'two of its headers are named "a"'],
  [{ type: "t", headers: new Headers({ "x-a": "1" }) }, "headers must be an object of names and values"],
  [{ type: "t", headers: new Map([["x-a", "1"]]) }, "headers must be an object of names and values"],
  [{ type: "t", headers: null }, "headers must be an object of names and values"],
  [undefined, "it must be an object with a type"],
  ["t", "it must be an object with a type"],
  [{ type: "t", headers: { "x-a": "a\r\nb: c" } }, "must be a string without control characters"],
  [{ type: "t", data: "x".repeat(1_100_000) }, "the body of a message exceeds"],
  [{ type: "t", headers: { "x-a": "x".repeat(9000) } }, "the headers of a message exceed"],
])("an invalid message is rejected: %#", async (message, reason) => {
  const app = withBroker();
  await app.start({ log: quiet });
  const sent = app.messaging.send("books", message as NewMessage);
  await expect(sent).rejects.toMatchObject({ message: expect.stringContaining(reason) });
  await app.stop();
});

test("JSON data is sent: dates as strings, without undefined members, no data as null", async () => {
  const app = withBroker();
  const got: Message[] = [];
  app.messaging.subscribe("books", { group: "search" }, (message) => void got.push(message));
  await app.start({ log: quiet });
  const time = new Date(Date.UTC(9999, 11, 31));
  const data = { at: new Date(0), none: undefined, list: [null, -1.5, "é"] };
  await app.messaging.send("books", { type: "t", data, time, source: "urn:shop:%C3%BC?a=b#c" });
  await app.messaging.send("books", { type: "t" });
  await waitFor(() => got.length === 2, { timeoutMs: 60_000 });
  expect(got.map((message) => message.data)).toEqual([
    { at: "1970-01-01T00:00:00.000Z", list: [null, -1.5, "é"] },
    null,
  ]);
  expect(got[0]).toMatchObject({ time: "9999-12-31T00:00:00.000Z", source: "urn:shop:%C3%BC?a=b#c" });
  await app.stop();
});

test.each(["", "a b", `/${"x".repeat(512)}`])(
  "a source that is not a URI reference is a start error: %#",
  async (source) => {
    const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker(), source });
    await expect(app.start({ log: quiet })).rejects.toThrow(
      "MessagingConfig.source must be a URI reference of 1 to 512 characters",
    );
  },
);

test("a misspelt option of send, sendAll and request is rejected, with the nearest name", async () => {
  const app = withBroker();
  await app.start({ log: quiet });
  const message = { type: "t" };
  const delay = { delayMS: 5 } as object;
  const limit = { timeoutMS: 5 } as object;
  for (const [sent, call, near] of [
    [app.messaging.send("books", message, delay), "send", '"delayMS"; did you mean "delayMs"?'],
    [app.messaging.sendAll("books", [message], delay), "sendAll", '"delayMS"; did you mean "delayMs"?'],
    [app.messaging.request("books", message, limit), "request", '"timeoutMS"; did you mean "timeoutMs"?'],
  ] as const)
    await expect(sent).rejects.toMatchObject({
      code: "MESSAGING_BAD_MESSAGE",
      message: expect.stringContaining(`the options object of ${call} has no field ${near}`),
    });
  await app.stop();
});

test("sendAll of one message and a request with schemas by type are refused before anything is sent", async () => {
  const app = withBroker();
  await app.start({ log: quiet });
  const sent = app.messaging.sendAll("books", { type: "t" } as never);
  const schema = { t: { "~standard": { version: 1, vendor: "test", validate: () => ({ value: 1 }) } } };
  const requested = app.messaging.request("books", { type: "t" }, { schema: schema as never });
  const code = "MESSAGING_BAD_MESSAGE";
  await expect(sent).rejects.toMatchObject({ code, message: expect.stringContaining("a list of messages") });
  await expect(requested).rejects.toMatchObject({
    code,
    message: expect.stringContaining("schema must be a Standard Schema"),
  });
  await app.stop();
});

test.each([
  ["", "the name of its topic must have 1 to 230 bytes"],
  ["é".repeat(116), "the name of its topic must have 1 to 230 bytes"],
  ["a\0b", "without control characters"],
  ["a\uD800", "the name of its topic"],
  [undefined, "its topic must be a name or a Topic"],
  [/books/, "its topic must be a name or a Topic"],
])("a message to an invalid topic is refused: %#", async (topic, reason) => {
  const app = withBroker();
  await app.start({ log: quiet });
  const refusal = { code: "MESSAGING_BAD_MESSAGE", message: expect.stringContaining(reason) };
  for (const sent of [
    app.messaging.send(topic as string, { type: "t" }),
    app.messaging.sendAll(topic as string, [{ type: "t" }]),
    app.messaging.request(topic as string, { type: "t" }),
  ])
    await expect(sent).rejects.toMatchObject(refusal);
  await app.stop();
});

test("an options value that is not an object is refused", async () => {
  const app = withBroker();
  await app.start({ log: quiet });
  for (const options of [null, 5, "later"]) {
    const sent = app.messaging.send("books", { type: "t" }, options as never);
    await expect(sent).rejects.toMatchObject({
      code: "MESSAGING_BAD_MESSAGE",
      message: expect.stringContaining("the options of send must be an object"),
    });
  }
  await app.stop();
});
