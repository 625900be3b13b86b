import { get, HIDDEN, message, post, refused, served, servedLast, type WireTable } from "./wire-row.ts";

const withLength = (value: string): string => post([`Content-Length: ${value}`], "hello");
const hiddenLength = String(HIDDEN.length);

/** RFC 9112 6.2 and 6.3, RFC 9110 8.6: a length is one run of digits, once. */
export const contentLength: WireTable = {
  title: "Content-Length",
  rows: [
    served("one length", withLength("5")),
    served("no blank after the colon", post(["Content-Length:5"], "hello")),
    served("blanks around the digits", post(["Content-Length: \t 5\t "], "hello")),
    served("leading zeros", withLength("0005")),
    served("a name in another case", post(["cONTENT-lENGTH: 5"], "hello")),
    served("zero", post(["Content-Length: 0"], "")),
    ...["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "QUERY"].map((method) =>
      served(
        `a body that looks like a request, with ${method}`,
        message(`${method} / HTTP/1.1`, ["Host: a", `Content-Length: ${hiddenLength}`], HIDDEN),
      ),
    ),
    served("a body that consists of CRLFs only", post(["Content-Length: 8"], "\r\n\r\n\r\n\r\n")),
    servedLast("a body in HTTP/1.0", message("POST / HTTP/1.0", ["Content-Length: 5"], "hello")),
    ...["5,5", "5, 5", "5 ,5", "5, 6", "5,", ",5", "5 5", "5\t5", "5;5"].map((value) =>
      refused(`the list ${JSON.stringify(value)}`, withLength(value)),
    ),
    ...[
      "+5",
      "-5",
      "+0",
      "-0",
      "0x5",
      "0X5",
      "5h",
      "5.0",
      "5e0",
      "5_0",
      "0b101",
      "\x35\xb2",
      "five",
      "٥",
    ].map((value) =>
      refused(
        `the number ${JSON.stringify(value)}`,
        withLength(Buffer.from(value, "latin1").toString("latin1")),
      ),
    ),
    ...["", " ", "\t", '"5"', "5;", "'5'", "NaN", "null"].map((value) =>
      refused(`the text ${JSON.stringify(value)}`, withLength(value)),
    ),
    ...["\x0b5", "5\x0b", "\x0c5", "5\x0c", "5\0", "\x005", "5\x7f", "5\x1f", "5\xa0", "\x855"].map((value) =>
      refused(`the control character or blank in ${JSON.stringify(value)}`, withLength(value)),
    ),
    ...[
      "9007199254740993",
      "9223372036854775808",
      "18446744073709551615",
      "18446744073709551616",
      "18446744073709551621",
      "99999999999999999999999999",
    ].map((value) => refused(`the length ${value}`, withLength(value), 413)),
    refused("the same length twice", post(["Content-Length: 5", "Content-Length: 5"], "hello")),
    refused("two lengths", post(["Content-Length: 5", "Content-Length: 6"], "hello")),
    refused("a length and zero", post(["Content-Length: 5", "content-length: 0"], "hello")),
    refused(
      "zero and a length, far apart",
      post(
        ["Content-Length: 0", ...Array.from({ length: 50 }, (_, n) => `X-${n}: y`), "CONTENT-LENGTH: 5"],
        "hello",
      ),
    ),
    refused(
      "two lengths in HTTP/1.0",
      message("POST / HTTP/1.0", ["Content-Length: 5", "Content-Length: 6"], "hello"),
    ),
    refused("a length on a folded line", post(["Content-Length:", " 5"], "hello")),
    refused("a second length on a folded line", post(["Content-Length: 5", " 6"], "hello")),
    refused("a blank before the colon", post(["Content-Length : 5"], "hello")),
    refused("a tab before the colon", post(["Content-Length\t: 5"], "hello")),
    refused("a blank before the name", post([" Content-Length: 5"], "hello")),
    refused("a blank inside the name", post(["Content- Length: 5"], "hello")),
    refused("NUL after the name", post(["Content-Length\0: 5"], "hello")),
    refused("a length after a bare LF", get("X: y\nContent-Length: 5")),
    refused("a length after a bare CR", get("X: y\rContent-Length: 5")),
    served("an underscore in the name, which is another field", get("Content_Length: 5")),
    served(
      "fields whose names only resemble Content-Length",
      get("X-Content-Length: 5", "Content-Length2: 5", "Content-Lengt: 5"),
    ),
    {
      name: "a length that is one too short: the remaining byte is not a request",
      bytes: post(["Content-Length: 4"], "hello"),
      statuses: [200, 501],
      served: 1,
    },
  ],
};
