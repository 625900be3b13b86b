/** The text of a GET with the fields that a plain client sends. */
export const get = (path: string, fields = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: */*\r\nConnection: keep-alive\r\n${fields}\r\n`;

/** The text of a POST with a JSON body in ASCII. */
export const post = (path: string, body: string, fields = ""): string =>
  `POST ${path} HTTP/1.1\r\nHost: bench\r\nAccept: */*\r\nConnection: keep-alive\r\n${fields}` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
