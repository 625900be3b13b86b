import { expect, test } from "@jest/globals";
import { UnsupportedMediaTypeError } from "../errors/http-errors.ts";
import { parseContentType } from "./content-type.ts";
import { parseForm } from "./parse-form.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("reads a urlencoded form, which has no files", () => {
  const { form, files } = parseForm(parseContentType("application/x-www-form-urlencoded"), bytes("a=1"));
  expect([form.get("a"), files]).toEqual(["1", []]);
});

test("reads a multipart form", () => {
  const body = '--X\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhi\r\n--X--';
  const { form, files } = parseForm(parseContentType("multipart/form-data; boundary=X"), bytes(body));
  expect([form.size, files[0]?.filename]).toEqual([0, "a.txt"]);
});

test.each([null, "application/json", "multipart/mixed; boundary=X"])(
  "rejects the type %s with 415",
  (type) => {
    expect(() => parseForm(parseContentType(type), bytes("a=1"))).toThrow(UnsupportedMediaTypeError);
  },
);
