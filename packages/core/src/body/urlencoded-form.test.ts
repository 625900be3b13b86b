import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { UnsupportedMediaTypeError, ValueError } from "../errors/http-errors.ts";
import { parseContentType } from "./content-type.ts";
import { parseUrlencodedForm } from "./urlencoded-form.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const errorWith = (status: number) => expect.objectContaining({ status });

test("reads any fields that URLSearchParams writes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }))),
      (fields) => {
        const form = parseUrlencodedForm(bytes(String(new URLSearchParams(fields))));
        expect([...form]).toEqual(fields);
      },
    ),
  );
});

test("reads raw UTF-8 and repeated fields", () => {
  const form = parseUrlencodedForm(bytes("name=Zoë&tag=a&tag=b&empty="));
  expect(form.get("name")).toBe("Zoë");
  expect(form.getAll("tag")).toEqual(["a", "b"]);
  expect({ ...form.toObject() }).toEqual({ name: "Zoë", tag: ["a", "b"], empty: "" });
  expect(form.get("absent", 0)).toBe(0);
  expect(parseUrlencodedForm(new Uint8Array(0)).size).toBe(0);
});

test("rejects raw bytes that are not UTF-8", () => {
  expect(() => parseUrlencodedForm(Uint8Array.of(0x61, 0x3d, 0xe9))).toThrow(ValueError);
});

test("rejects another charset with 415", () => {
  const type = parseContentType("application/x-www-form-urlencoded; charset=iso-8859-1");
  expect(() => parseUrlencodedForm(bytes("a=1"), type)).toThrow(UnsupportedMediaTypeError);
  expect(
    parseUrlencodedForm(
      bytes("a=1"),
      parseContentType("application/x-www-form-urlencoded;charset=UTF-8"),
    ).get("a"),
  ).toBe("1");
});

test("accepts 1,000 fields and rejects one more with 413", () => {
  const fields = "a=1&".repeat(1000);
  expect(parseUrlencodedForm(bytes(fields)).size).toBe(1000);
  expect(() => parseUrlencodedForm(bytes(`${fields}b`))).toThrow(errorWith(413));
});

test("treats names such as __proto__ as data, and brackets as ordinary characters", () => {
  const object = parseUrlencodedForm(bytes("__proto__=1&a[b]=2&a[]=3")).toObject();
  expect(Object.getPrototypeOf(object)).toBeNull();
  expect(Object.entries(object)).toEqual([
    ["__proto__", "1"],
    ["a[b]", "2"],
    ["a[]", "3"],
  ]);
});

test("parses large hostile bodies in linear time", () => {
  for (const unit of ["%", "+", "=", "%zz", "a=%C3+"]) {
    const body = bytes(`a=1&b&c&${unit.repeat(1_000_000 / unit.length)}`);
    const start = process.cpuUsage();
    expect(parseUrlencodedForm(body).get("a")).toBe("1");
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
  }
});
