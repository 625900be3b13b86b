import { expect, test } from "@jest/globals";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { PayloadTooLargeError, UnsupportedMediaTypeError, ValueError } from "../errors/http-errors.ts";
import { parseContentType } from "./content-type.ts";
import { MultipartLimits } from "./multipart-limits.ts";
import { MultipartParser } from "./multipart-parser.ts";
import { parseMultipart } from "./multipart.ts";
import {
  bytes,
  contentOf,
  END,
  field,
  file,
  parse,
  part,
  parseSplit,
  thrownBy,
  TYPE,
} from "./multipart-parts.test-kit.ts";

test.each([
  ["no name", part("Content-Disposition: form-data")],
  ["no disposition", part("Content-Type: text/plain")],
  ["no head", "--X\r\n\r\nvalue\r\n"],
  ["another disposition", part('Content-Disposition: attachment; name="a"')],
  ["a disposition that has form-data as its prefix", part('Content-Disposition: form-datas; name="a"')],
  [
    "two dispositions",
    part('Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"'),
  ],
  ["two names", part('Content-Disposition: form-data; name="a"; NAME="b"')],
  ["an unclosed quote", part('Content-Disposition: form-data; name="a')],
  ["text after a quoted value", part('Content-Disposition: form-data; name="a"b')],
  ["a trailing semicolon", part('Content-Disposition: form-data; name="a";')],
  ["no colon", part('Content-Disposition: form-data; name="a"\r\nwrong')],
  ["a space before the colon", part('Content-Disposition : form-data; name="a"')],
  ["a folded line", part('Content-Disposition: form-data;\r\n name="a"')],
  ["a bare LF in the head", part('Content-Disposition: form-data; name="a"\nX: y')],
  ["a NUL in the head", part('Content-Disposition: form-data; name="a\u0000"')],
  ["a malformed type", part('Content-Disposition: form-data; name="a"\r\nContent-Type: text')],
  ["base64", part('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', "YQ==")],
  ["a control character in a file name", file("a%0Ab", "x")],
  ["text on the boundary line", `--Xtra\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n`],
  ["one dash after a boundary", field("a", "1").replace("--X", "--X-")],
  ["a space within the CRLF of the last line", `${field("a", "1")}--X--\r \n`],
  ["text after the last boundary", `${field("a", "1")}--X--x\r\n`],
])("rejects with 400: %s", (_, body) => {
  expect(thrownBy(() => parse(`${body}${END}`))).toBeInstanceOf(ValueError);
});

test("rejects text that is not UTF-8 with 400, in a field or a head", () => {
  const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));
  for (const text of [field("a", "\u00e9"), field("\u00e9", "a")]) {
    expect(thrownBy(() => parseMultipart(latin1(text + END), TYPE))).toBeInstanceOf(ValueError);
  }
  expect(parseMultipart(latin1(file("a", "\u00e9") + END), TYPE).files[0]?.size).toBe(1);
});

test("rejects a field in another charset with 415, but accepts files in any", () => {
  const latin1 = "Content-Type: text/plain; charset=iso-8859-1";
  const disposition = 'Content-Disposition: form-data; name="a"';
  expect(thrownBy(() => parse(part(`${disposition}\r\n${latin1}`, "x") + END))).toBeInstanceOf(
    UnsupportedMediaTypeError,
  );
  expect(parse(part(`${disposition}; filename="b"\r\n${latin1}`, "x") + END).files).toHaveLength(1);
});

test.each([
  ["multipart/form-data", ValueError],
  ['multipart/form-data; boundary=""', ValueError],
  ['multipart/form-data; boundary="X "', ValueError],
  ['multipart/form-data; boundary="X\\"Y"', ValueError],
  [`multipart/form-data; boundary=${"X".repeat(71)}`, ValueError],
  ["multipart/mixed; boundary=X", UnsupportedMediaTypeError],
  ["text/plain", UnsupportedMediaTypeError],
])("rejects the type %s", (value, kind) => {
  expect(thrownBy(() => parseMultipart(bytes(END), parseContentType(value)))).toBeInstanceOf(kind);
});

test("accepts a boundary of 70 characters, with spaces inside", () => {
  const boundary = `a ${"'()+_,-./:=?".repeat(5)}12345678`;
  expect(boundary).toHaveLength(70);
  const type = parseContentType(`multipart/form-data; boundary="${boundary}"`);
  expect(
    parseMultipart(bytes((field("a", "1") + END).replaceAll("--X", `--${boundary}`)), type).form.get("a"),
  ).toBe("1");
});

test("accepts the optional syntax that RFC 2046 and RFC 7578 allow around parts", async () => {
  expect(await contentOf(parse(END))).toEqual({ fields: [], files: [] });
  expect(parse(`preamble\r\n--Y\r\n${field("a", "1")}--X--\r\nepilogue`).form.get("a")).toBe("1");
  expect(parse(`${field("a", "1").replace("--X", "--X \t")}${END}`).form.get("a")).toBe("1");
  const head =
    'content-DISPOSITION:Form-Data ; Name=a ; Other="x;y"\r\nX-Extra: 1\r\nContent-Transfer-Encoding: 8BIT';
  expect(parse(part(head, "1") + END).form.get("a")).toBe("1");
  expect(parse(part('Content-Disposition: form-data; name=""', "1") + END).form.get("")).toBe("1");
});

test.each([
  ["a.png", "a.png"],
  ["dir/a.png", "a.png"],
  ["C:\\dir\\a.png", "a.png"],
  ["../../etc/passwd", "passwd"],
  ["..\\..\\boot.ini", "boot.ini"],
  ["a/..", ""],
  ["..", ""],
  [".", ""],
  ["dir/", ""],
  ["a%22b.png", 'a"b.png'],
  [String.raw`a\"b.txt`, 'a"b.txt'],
  [String.raw`a\"; name=\"b.txt`, 'a"; name="b.txt'],
  [String.raw`a\\b.txt`, "b.txt"],
  [String.raw`a.txt\\`, ""],
  ["a.txt\\", ""],
  ["100%25.png", "100%25.png"],
  ["Zoë 🎉.png", "Zoë 🎉.png"],
])("reads the file name %j as %j", (given, expected) => {
  expect(parse(file(given, "x") + END).files[0]?.filename).toBe(expected);
});

test.each([
  [String.raw`say \"hi\"`, 'say "hi"'],
  [String.raw`a\\\"`, String.raw`a\"`],
  [String.raw`a\b\\c`, String.raw`a\b\c`],
  ["a\\", "a\\"],
])("reads the name %j as %j", (given, expected) => {
  const head = `Content-Disposition: form-data; name="${given}"`;
  expect([...parse(part(head, "1") + END).form.keys()]).toEqual([expected]);
  expect(parse(part(`${head}; filename="f"`, "1") + END).files[0]?.name).toBe(expected);
});

test("ignores filename* and reads filename", () => {
  const head = `Content-Disposition: form-data; name="f"; filename*=utf-8''evil.exe`;
  expect(parse(part(head, "x") + END).form.get("f")).toBe("x");
  expect(parse(part(`${head}; filename="a.txt"`, "x") + END).files[0]?.filename).toBe("a.txt");
});

test("omits a file input without a file, but not a file without a name", () => {
  expect(parse(file("", "") + END).files).toEqual([]);
  expect(parse(file("", "x") + END).files[0]).toMatchObject({ filename: "", size: 1 });
  expect(parse(file("empty.txt", "") + END).files[0]).toMatchObject({ filename: "empty.txt", size: 0 });
});

test("defaults the type of a file to text/plain", () => {
  const body = part('Content-Disposition: form-data; name="f"; filename="a"', "x") + END;
  expect(parse(body).files[0]?.contentType).toBe("text/plain");
});

test("treats names such as __proto__ as data, and nested forms as text", () => {
  const nested = `--Y\r\nContent-Disposition: file; filename="a"\r\n\r\nx\r\n--Y--`;
  const head =
    'Content-Disposition: form-data; name="__proto__"\r\nContent-Type: multipart/mixed; boundary=Y';
  const { form, files } = parse(part(head, nested) + END);
  expect(Object.entries(form.toObject())).toEqual([["__proto__", nested]]);
  expect(files).toEqual([]);
});

test.each([
  [
    "maxTotalBytes",
    (over: number) => END + "x".repeat(93 + over),
    100,
    "The multipart body is larger than the limit of 100B",
  ],
  [
    "maxFieldBytes",
    (over: number) => field("a", "x".repeat(100 + over)) + END,
    100,
    "A form field is larger than the limit of 100B",
  ],
  [
    "maxFileBytes",
    (over: number) => file("a", "x".repeat(100 + over)) + END,
    100,
    "An uploaded file is larger than the limit of 100B",
  ],
  [
    "maxNameBytes",
    (over: number) => field("é".repeat(50) + "x".repeat(over), "1") + END,
    100,
    "The name of a form part is larger than the limit of 100B",
  ],
  [
    "maxNameBytes",
    (over: number) => file("dir/" + "x".repeat(100 + over), "1") + END,
    100,
    "The name of a form part is larger than the limit of 100B",
  ],
  [
    "maxPartHeadBytes",
    (over: number) =>
      part(`Content-Disposition: form-data; name="a"\r\nX: ${"x".repeat(53 + over)}`, "1") + END,
    100,
    "The head of a form part is larger than the limit of 100B",
  ],
] as const)(
  "accepts the limit %s exactly, and rejects one byte more with 413",
  (limit, body, value, detail) => {
    expect(() => parse(body(0), { [limit]: value })).not.toThrow();
    const error = thrownBy(() => parse(body(1), { [limit]: value }));
    expect(error).toBeInstanceOf(PayloadTooLargeError);
    expect(error).toMatchObject({ status: 413, detail });
    const parser = new MultipartParser("X", MultipartLimits.of({ [limit]: value }));
    expect(
      thrownBy(() => {
        for (const byte of bytes(body(1))) parser.push(Uint8Array.of(byte));
      }),
    ).toMatchObject({ detail });
  },
);

test("accepts 100 parts and rejects one more with 413", () => {
  const fields = field("a", "1").repeat(100);
  expect(parse(fields + END).form.size).toBe(100);
  expect(thrownBy(() => parse(fields + field("a", "1") + END))).toMatchObject({
    status: 413,
    detail: "The multipart body holds more than 100 parts",
  });
});

test("has the documented defaults, frozen, and rejects a limit of 0 parts", () => {
  expect(MultipartLimits.of()).toEqual({
    maxParts: 100,
    maxTotalBytes: 50 * 1024 ** 2,
    maxPartHeadBytes: 8192,
    maxNameBytes: 255,
    maxFieldBytes: 1024 ** 2,
    maxFileBytes: 10 * 1024 ** 2,
  });
  expect(Object.isFrozen(MultipartLimits.of())).toBe(true);
  expect(() => parse(END, { maxParts: 0 })).toThrow(ConfigurationError);
});

test("parses hostile content in linear time", () => {
  for (const unit of ["\\", '\\"', ';a="\\"', '"', ";a=b"]) {
    const head = `Content-Disposition: form-data; name="${unit.repeat(16_000 / unit.length)}`;
    const start = process.cpuUsage();
    for (let times = 0; times < 20; times++) thrownBy(() => parse(part(head, "1") + END));
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(20_000);
  }
  for (const unit of ["\r", "\r\n", "\r\n-", "\r\n--", "-", "\r\n--\r"]) {
    const body = bytes(file("a", unit.repeat(500_000 / unit.length)) + END);
    const start = process.cpuUsage();
    expect(parseMultipart(body, TYPE).files).toHaveLength(1);
    for (const offset of [1, 7])
      parseSplit(
        body,
        Array.from({ length: 3000 }, (_, at) => at * 1000 + offset),
      );
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(20_000); // quadratic time would take minutes
  }
});
