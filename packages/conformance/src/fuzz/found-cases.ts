import type { Traffic } from "./traffic.ts";

/** Traffic that once revealed a difference; every case runs over every lane. */
export interface FoundCase extends Traffic {
  readonly name: string;
}

const HOST = "Host: a\r\n";
const chunked = `${HOST}Transfer-Encoding: chunked\r\n`;
const bytes = (text: string): string[] => text.split("");

export const foundCases: readonly FoundCase[] = [
  {
    name: "a trailer with close, and a request after it",
    pieces: bytes(
      `GET / HTTP/1.1\r\n${chunked}\r\n0\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\n${HOST}\r\n`,
    ),
  },
  {
    name: "a trailer with close and keep-alive, and nothing after it",
    pieces: [`GET / HTTP/1.1\r\n${chunked}\r\n0\r\nConnection: close, keep-alive\r\n\r\n`],
  },
  {
    name: "Proxy-Connection among trailers, with a name that only resembles Content-Length",
    pieces: [`GET / HTTP/1.1\r\n${chunked}Content_Length: 3\r\n\r\n0\r\nProxy-Connection: close\r\n\r\n`],
  },
  {
    name: "keep-alive in HTTP/1.0, with Proxy-Connection: close",
    pieces: [`GET / HTTP/1.0\r\n${HOST}Connection: keep-alive\r\nProxy-Connection: close\r\n\r\n0\r\n\r\n`],
  },
  {
    name: "close and keep-alive in HTTP/1.0",
    pieces: [
      `GET / HTTP/1.0\r\n${HOST}Content-Length: 0\r\nConnection: close, keep-alive\r\n\r\nQUERY / HTTP/1.1\r\n${HOST}\r\n`,
    ],
  },
  {
    name: "a malformed chunk in the last message of a connection",
    pieces: [
      `GET / HTTP/1.1\r\n${chunked}Connection: close\r\n\r\n0;\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n${HOST}\r\n`,
    ],
  },
  {
    name: "a request after Expect: 100-continue without a body",
    pieces: [
      `GET / HTTP/1.1\r\n${HOST}Expect: 100-continue\r\n\r\nGET / HTTP/1.1\r\n${chunked}\r\n0\r\n\r\nGET / HTTP/1.1\r\n${HOST}Content-Length: 0\r\nContent-Length: 0\r\n\r\n`,
    ],
  },
  {
    name: "an unread chunked body after a late reply",
    pieces: [
      `GET http://b/read HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\nGET / HTTP/1.1\r\n${HOST}Content-Length: 1\r\n\r\n\0GET / HTTP/1.1\r\n${chunked}\r\n0\r\n\r\n`,
    ],
  },
  {
    name: "an unread chunked body after a late 204, and one more request",
    pieces: [
      `GET /read HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabcPOST /204 HTTP/1.1\r\n${chunked}\r\n5\r\nhello\r\n0\r\n\r\nPUT //b/x HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\n0\r\n\r\n`,
    ],
  },
  {
    name: "a malformed body with Expect: 100-continue that arrived with its head, after an unread body",
    pieces: [
      `QUERY / HTTP/1.1\r\n${HOST}\r\nGET / HTTP/1.1\r\n${HOST}Content-Length: 300\r\n\r\n${"z".repeat(300)}GET http://b/read HTTP/1.1\r\n${chunked}Expect: 100-continue\r\n\r\n0;\r\n\r\n0\r\n\r\n`,
    ],
  },
  {
    name: "a short body that does not arrive, after a streamed reply",
    pieces: [`GET /stream HTTP/1.1\r\n${HOST}\r\nPATCH /204 HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\n`],
  },
  {
    name: "an unread body with Expect: 100-continue, after a late reply",
    pieces: [
      `GET /read HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nhiGET /async HTTP/1.1\r\n${HOST}\r\nPATCH //b/x HTTP/1.1\r\n${chunked}EXPECT: 100-CONTINUE\r\n\r\n0\r\n\r\nGET /stream HTTP/1.1\r\n${HOST}\r\n`,
    ],
  },
  {
    name: "an unread body with Expect: 100-continue that arrives before its late reply",
    pieces: [
      `POST /read HTTP/1.1\r\n${chunked}\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\nGET / HTTP/1.1\r\n${HOST}Content-Length: 1\r\n\r\n\0GET http://b HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 1\r\n\r\n\0GET / HTTP/1.1\r\n${HOST}\r\n`,
    ],
  },
  {
    name: "an unread body with Expect: 100-continue that arrived with its head, after a late reply",
    pieces: [
      `DELETE /read HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n5\r\nhello\r\nPATCH /204 HTTP/1.1\r\n${HOST}\r\n`,
    ],
  },
  {
    name: "a reply that is sent before waiters for the previous one are notified of its end",
    pieces: [
      `HEAD /stream HTTP/1.1\r\n${HOST}\r\nGET / HTTP/1.1\r\n${HOST}Content-Length: 1\r\n\r\n\0GET / HTTP/1.1\r\n${chunked}\r\n0\r\n\r\n`,
    ],
  },
  {
    name: "a tab after the transfer coding, and a request after it",
    pieces: [
      `GET / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\t\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n${HOST}\r\n`,
    ],
  },
];
