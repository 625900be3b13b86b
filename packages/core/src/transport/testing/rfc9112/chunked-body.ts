import { broken, hidden, post, served, type WireTable } from "./wire-row.ts";

const chunked = (body: string): string => post(["Transfer-Encoding: chunked"], body);
const end = "0\r\n\r\n";
const size = (text: string): string => chunked(`${text}\r\nx\r\n${end}`);
const text = (value: string): string => JSON.stringify(value.length > 30 ? `${value.slice(0, 10)}…` : value);

/** RFC 9112 7.1: hex digits, CRLF where it belongs and nowhere else, extensions within bounds, trailers like fields. */
export const chunkedBody: WireTable = {
  title: "chunked body",
  rows: [
    served("one chunk", size("1")),
    served("no chunk", chunked(end)),
    served("digits in both cases", chunked(`A\r\n0123456789\r\nb\r\n0123456789a\r\n${end}`)),
    served("zeros in front of a size", size("0001")),
    served("zeros as the last size", chunked("1\r\nx\r\n0000\r\n\r\n")),
    served("data that looks like an end", chunked(`5\r\n${end}\r\n${end}`)),
    ...["1;a", "1;a=b", '1;a="b"', '1;a="b;c"', '1;a="\\""', "1;a;b=c"].map((line) => served(`the extension of ${text(line)}`, size(line))),
    ...["1;;a", "1;=b", "1;a=", '1;a=b"c"'].map((line) => served(`the extension of ${text(line)}, which llhttp skips though it is none`, size(line))),
    served("an extension of the last chunk", chunked("0;a=b\r\n\r\n")),
    served("trailers", chunked("0\r\nX: y\r\nEtag: z\r\n\r\n")),
    served("trailers that would route or allow if they were fields", chunked("0\r\nHost: evil\r\nAuthorization: x\r\nCookie: y\r\n\r\n")),
    ...[
      "", "g", "x1", "+1", "-1", "0x1", "0X1", "1h", " 1", "1 ", "\t1", "1\t", "1 1", "1_0", "1,0", "1.0", "1e0x", "\x001", "1\0", "\x0b1", "1\x0b", "1\xa0", "１",
      "10000000000000000", "10000000000000001", "ffffffffffffffff1", "-0", "00x1", `${"0".repeat(20)}g`,
    ].map((line) => broken(`the size ${text(line)}`, size(line.replaceAll("１", "\xef\xbc\x91")))),
    ...[";", ";;", ";a;", "; ;", ";a = b", ";a=b=c", ';"a"', ';a="b"c', ';a="', ';a="\x01"', ";a\0", ";a=b c"].map((extension) => broken(`the extension ${text(extension)}`, size(`1${extension}`))),
    broken("a blank before an extension", size("1 ;a")),
    broken("a tab before an extension", size("1\t;a")),
    broken("LF for CRLF behind a size", chunked(`1\nx\r\n${end}`)),
    broken("CR for CRLF behind a size", chunked(`1\rx\r\n${end}`)),
    broken("CR CR LF behind a size", chunked(`1\r\r\nx\r\n${end}`)),
    broken("LF inside an extension", chunked(`1;a\nb\r\nx\r\n${end}`)),
    broken("LF behind an extension", chunked(`1;a\nx\r\n${end}`)),
    broken("LF inside the value of an extension", chunked(`1;a=b\nc\r\nx\r\n${end}`)),
    broken("LF inside a quoted extension", chunked(`1;a="\n"\r\nx\r\n${end}`)),
    broken("CR inside an extension", chunked(`1;a\rb\r\nx\r\n${end}`)),
    broken("CRLF inside a quoted extension", chunked(`1;a="\r\n"\r\nx\r\n${end}`)),
    broken("a hidden request in an extension behind LF", chunked(`2;\n${hidden}xx\r\n${end}`)),
    broken("an extension of 40,000 bytes", size(`1;${"a".repeat(40_000)}`)),
    broken("a byte too many in a chunk", chunked(`1\r\nxy\r\n${end}`)),
    broken("a byte too few in a chunk", chunked(`2\r\nx\r\n${end}`)),
    broken("LF behind the data", chunked(`1\r\nx\n${end}`)),
    broken("CR behind the data", chunked(`1\r\nx\r${end}`)),
    broken("nothing behind the data", chunked(`1\r\nx${end}`)),
    broken("two CRLF behind the data", chunked(`1\r\nx\r\n\r\n${end}`)),
    broken("LF as the end", chunked("1\r\nx\r\n0\r\n\n")),
    broken("LF and LF as the end", chunked("1\r\nx\r\n0\n\n")),
    broken("LF behind the last size", chunked("1\r\nx\r\n0\n\r\n")),
    broken("CR and a byte as the end", chunked("1\r\nx\r\n0\r\n\rX")),
    broken("no empty line at the end", chunked("1\r\nx\r\n0\r\n")),
    ...["X : y", ": y", "X", " X: y", "X: y\n", "X: a\rb", "X: \0", "X\0: y", "Content-Length: 5", "Transfer-Encoding: chunked"].map((line) =>
      broken(`the trailer ${text(line)}`, chunked(`0\r\n${line}\r\n\r\n`)),
    ),
    broken("a folded trailer", chunked("0\r\nX: y\r\n z\r\n\r\n")),
    { name: "trailers of 40,000 bytes", bytes: chunked(`0\r\n${`X: ${"y".repeat(100)}\r\n`.repeat(400)}\r\n`), answers: [431], served: 1 },
  ],
};
