import { HttpError, type HttpRequest } from "@framework/core";
import type * as Ws from "ws";
import { checkWindowBits } from "./handshake.ts";

/** How replies and messages are compressed, when they are. */
export const compression = {
  threshold: 1024,
  concurrencyLimit: 10,
  serverNoContextTakeover: true, // a dictionary per connection would cost 300 KB
  clientNoContextTakeover: true,
} as const;

/** The parts of `ws` that read what a client offers; its types lack them. */
interface OfferReaders {
  readonly subprotocol: { parse(field: string): Set<string> };
  readonly extension: { parse(field: string): Readonly<Record<string, object[] | undefined>> };
  readonly PerMessageDeflate: new (options: object) => { accept(offers: object[]): object };
}

/** Throws an `HttpError` 400 for what `ws` would refuse. */
export type CheckOffers = (request: HttpRequest, deflate: boolean) => void;

/** Creates the check of the sub-protocols and extensions that a client offers. Without it `ws` refuses them when the app has answered 101. */
export const createCheckOffers = (ws: typeof Ws): CheckOffers => {
  const { subprotocol, extension, PerMessageDeflate } = ws as unknown as OfferReaders;
  const acceptDeflate = (field: string): void => {
    const offers = extension.parse(field)["permessage-deflate"];
    if (offers !== undefined) new PerMessageDeflate({ ...compression, isServer: true }).accept(offers);
  };
  return (request, deflate) => {
    const protocols = request.getHeader("sec-websocket-protocol");
    if (protocols !== null)
      read(() => subprotocol.parse(protocols), "Sec-WebSocket-Protocol is malformed or repeats a name");
    const extensions = request.getHeader("sec-websocket-extensions");
    if (!deflate || extensions === null) return;
    checkWindowBits(request);
    read(() => acceptDeflate(extensions), "Sec-WebSocket-Extensions is malformed or cannot be accepted");
  };
};

const read = (work: () => unknown, mistake: string): void => {
  try {
    work();
  } catch (cause) {
    throw new HttpError(400, mistake, { cause });
  }
};
