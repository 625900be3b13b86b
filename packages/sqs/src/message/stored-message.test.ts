import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { read, store } from "./stored-message.ts";

// Not the unit "binary" of fast-check, which first creates a map of 1.1 million characters.
const character = fc.nat({ max: 0x10f7ff }).map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));
const anyText = fc.array(character).map((characters) => characters.join(""));
const headers = fc.dictionary(anyText, anyText, { noNullPrototype: false });
const body = fc.oneof(
  anyText.filter((text) => text.isWellFormed()),
  fc.uint8Array(),
);

test("a stored message is read unchanged, and has only characters that SQS accepts", () => {
  fc.assert(
    fc.property(headers, fc.option(anyText), body, fc.nat(), (sent, key, content, tries) => {
      const { MessageBody, MessageAttributes } = store({ headers: sent, key, body: content }, tries);
      expect(MessageBody).toMatch(/^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]+$/u);
      expect(MessageAttributes["framework"]?.StringValue).toMatch(/^[ -~]+$/);
      const found = read({ Body: MessageBody, MessageAttributes });
      expect(Object.entries(found.headers)).toEqual(Object.entries(sent));
      expect([found.key, found.tries]).toEqual([key, tries]);
      expect(Buffer.from(found.body as Uint8Array)).toEqual(Buffer.from(content as Uint8Array));
    }),
  );
});

test("text that SQS accepts is stored unchanged", () => {
  const { MessageBody } = store({ headers: {}, key: null, body: '{"title":"Ünï 🙂"}' }, 0);
  expect(MessageBody).toBe('{"title":"Ünï 🙂"}');
});

test("bytes is the size of a message as counted by SQS", () => {
  const { MessageBody, MessageAttributes, bytes } = store({ headers: { a: "ä" }, key: "k", body: "ä" }, 0);
  const { DataType = "", StringValue = "" } = MessageAttributes["framework"] ?? {};
  expect(bytes).toBe(Buffer.byteLength(`framework${DataType}${StringValue}${MessageBody}`));
});

test("an attribute of another system with the same name is a header", () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.json()), (StringValue) => {
      const { body: text } = read({
        Body: "x",
        MessageAttributes: { framework: { DataType: "String", StringValue } },
      });
      expect(text).toBe("x");
    }),
  );
  const malicious = [
    '{"headers":{"a":1}}',
    '{"headers":{},"tries":-1}',
    '{"headers":{},"key":{}}',
    "null",
    "{",
  ];
  for (const StringValue of malicious) {
    const found = read({ Body: "x", MessageAttributes: { framework: { DataType: "String", StringValue } } });
    expect(found).toMatchObject({ headers: { framework: StringValue }, key: null, tries: 0 });
  }
});
