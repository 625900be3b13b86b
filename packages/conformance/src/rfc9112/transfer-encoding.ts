import { broken, get, HIDDEN, message, post, refused, served, type WireTable } from "./wire-row.ts";

const CHUNKS = "5\r\nhello\r\n0\r\n\r\n";
const withCoding = (value: string): string => post([`Transfer-Encoding: ${value}`], CHUNKS);
/** A parser that uses the length finds a hidden request after the last chunk; a parser that uses the chunks finds none. */
const lengthAndCoding = (
  length: string,
  coding: string,
  first: "length" | "coding",
  version = "1.1",
): string => {
  const lines = [`Content-Length: ${length}`, `Transfer-Encoding: ${coding}`];
  return message(
    `POST / HTTP/${version}`,
    ["Host: a", ...(first === "length" ? lines : lines.toReversed())],
    `0\r\n\r\n${HIDDEN}`,
  );
};

/** RFC 9112 6.1 and 6.3: `chunked` alone, last, once, in HTTP/1.1, and never with a length. */
export const transferEncoding: WireTable = {
  title: "Transfer-Encoding",
  rows: [
    ...["chunked", "Chunked", "CHUNKED", "cHuNkEd", "\tchunked", "chunked  ", ""].map((value) =>
      value === ""
        ? served("no blank after the colon", post(["Transfer-Encoding:chunked"], CHUNKS))
        : served(`the coding ${JSON.stringify(value)}`, withCoding(value)),
    ),
    broken("a tab after the coding, which is legal but refused by llhttp", withCoding("chunked\t")),
    served("chunked, with GET", message("GET / HTTP/1.1", ["Host: a", "Transfer-Encoding: chunked"], CHUNKS)),
    served(
      "chunked, with a chunk that looks like a request",
      post(["Transfer-Encoding: chunked"], `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`),
    ),
    ...(["length", "coding"] as const).flatMap((first) => [
      refused(`a length and chunked, the ${first} first`, lengthAndCoding("4", "chunked", first)),
      refused(`a length of zero and chunked, the ${first} first`, lengthAndCoding("0", "chunked", first)),
      refused(`a length and another coding, the ${first} first`, lengthAndCoding("5", "identity", first)),
      refused(`a length and xchunked, the ${first} first`, lengthAndCoding("5", "xchunked", first)),
      refused(`a length and an empty coding, the ${first} first`, lengthAndCoding("5", "", first)),
      refused(`a bad length and chunked, the ${first} first`, lengthAndCoding("+4", "chunked", first)),
      refused(
        `a length and chunked in HTTP/1.0, the ${first} first`,
        lengthAndCoding("4", "chunked", first, "1.0"),
      ),
    ]),
    ...[
      "chunked, chunked",
      "chunked,chunked",
      "chunked, gzip",
      "chunked, identity",
      "chunked,",
      ",chunked",
      " , chunked",
      "chunked, ,",
    ].map((value) => refused(`the list ${JSON.stringify(value)}`, withCoding(value))),
    ...[
      "gzip",
      "identity",
      "xchunked",
      "chunkedx",
      "x-chunked",
      "chunke",
      "chunk",
      "cow",
      "trailers",
      "",
      " ",
    ].map((value) => refused(`the coding ${JSON.stringify(value)}`, withCoding(value))),
    ...[
      '"chunked"',
      "'chunked'",
      "chunk ed",
      "chunked;q=1",
      "chunked; a=b",
      "chunked x",
      "(chunked)",
      "chunked\\",
      "chunked/1",
    ].map((value) => refused(`the form ${JSON.stringify(value)}`, withCoding(value))),
    ...[
      "\x0bchunked",
      "chunked\x0b",
      "\x0cchunked",
      "chunked\x0c",
      "\0chunked",
      "chunked\0",
      "chunked\x7f",
      "\x01chunked",
      "chunked\xa0",
      "\xa0chunked",
      "chun\x00ked",
      "chunK\xedd",
    ].map((value) =>
      refused(`the control character or blank in ${JSON.stringify(value)}`, withCoding(value)),
    ),
    ...["gzip, chunked", "identity, chunked", "deflate,gzip,chunked", "gzip;q=1, chunked"].map((value) =>
      refused(`the codings ${JSON.stringify(value)}`, withCoding(value), 501),
    ),
    refused(
      "gzip and chunked in two lines",
      post(["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"], CHUNKS),
      501,
    ),
    refused(
      "chunked in two lines",
      post(["Transfer-Encoding: chunked", "transfer-encoding: chunked"], CHUNKS),
    ),
    refused(
      "chunked and identity in two lines",
      post(["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], CHUNKS),
    ),
    refused("chunked and an empty line", post(["Transfer-Encoding: chunked", "Transfer-Encoding:"], CHUNKS)),
    refused("chunked in HTTP/1.0", message("POST / HTTP/1.0", ["Transfer-Encoding: chunked"], CHUNKS)),
    refused(
      "chunked in HTTP/1.0 with keep-alive",
      message("POST / HTTP/1.0", ["Connection: keep-alive", "Transfer-Encoding: chunked"], CHUNKS),
    ),
    refused("identity in HTTP/1.0", message("POST / HTTP/1.0", ["Transfer-Encoding: identity"], "")),
    refused("a blank before the colon", post(["Transfer-Encoding : chunked"], CHUNKS)),
    refused("a tab before the colon", post(["Transfer-Encoding\t: chunked"], CHUNKS)),
    refused("a blank before the name", post([" Transfer-Encoding: chunked"], CHUNKS)),
    refused("a vertical tab before the name", post(["\x0bTransfer-Encoding: chunked"], CHUNKS)),
    refused("NUL after the name", post(["Transfer-Encoding\0: chunked"], CHUNKS)),
    refused("a colon before the name", post([": Transfer-Encoding: chunked"], CHUNKS)),
    refused("a coding on a folded line", post(["Transfer-Encoding:", " chunked"], CHUNKS)),
    refused("a coding folded after another field", post(["X: y", " Transfer-Encoding: chunked"], CHUNKS)),
    refused("the colon on a folded line", post(["Transfer-Encoding", " : chunked"], CHUNKS)),
    refused("a coding after a bare LF", post(["X: y\nTransfer-Encoding: chunked"], CHUNKS)),
    refused("a coding after a bare CR", post(["X: y\rTransfer-Encoding: chunked"], CHUNKS)),
    refused("a coding after CR CR LF", post(["X: y\r", "Transfer-Encoding: chunked"], CHUNKS)),
    served("an underscore in the name, which is another field", get("Transfer_Encoding: chunked")),
    served(
      "fields whose names only resemble Transfer-Encoding",
      get("X-Transfer-Encoding: chunked", "Transfer-Encodin: chunked", "TE: chunked"),
    ),
  ],
};
