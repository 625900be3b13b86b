import { type ClientHttp2Session, connect } from "node:http2";

/** The reply of one call: header fields and trailers together, and the bytes of the body. */
export interface RawReply {
  /** `grpc-status`; "reset" for a stream that ends without one. */
  readonly status: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A raw request, which may be invalid. */
export interface RawRequest {
  /** @default a message without fields */
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** @default "/books.v1.Catalog/GetBook" */
  readonly path?: string;
  /** @default "POST" */
  readonly method?: string;
}

/** Frames a message; `length` is the declared length. */
export const framed = (message: Uint8Array, flags = 0, length: number = message.length): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
};

/** Sends one call over a new connection. */
export const rawCall = async (target: string, request: RawRequest): Promise<RawReply> => {
  const session = connect(`http://${target}`);
  session.on("error", () => {}); // the stream reports it
  try {
    return await rawCallOver(session, request);
  } finally {
    session.destroy();
  }
};

/** Sends one call over an open connection. */
export const rawCallOver = (
  session: ClientHttp2Session,
  {
    body = framed(Buffer.alloc(0)),
    headers = {},
    path = "/books.v1.Catalog/GetBook",
    method = "POST",
  }: RawRequest,
): Promise<RawReply> => {
  const stream = session.request({
    ":method": method,
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
  const fields: Record<string, string> = {};
  const chunks: Buffer[] = [];
  const take = (received: Record<string, unknown>): void => {
    for (const [name, value] of Object.entries(received)) fields[name] = String(value);
  };
  stream.on("response", take);
  stream.on("trailers", take);
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("error", () => {}); // "close" follows
  const reply = new Promise<RawReply>((resolve) => {
    stream.on("close", () =>
      resolve({ status: fields["grpc-status"] ?? "reset", fields, body: Buffer.concat(chunks) }),
    );
  });
  stream.end(body);
  return reply;
};
