import { HttpError, type HttpRequest } from "@framework/core";
import type * as Ws from "ws";
import { checkWindowBits } from "./handshake.ts";

/** Options of `permessage-deflate`, for checking offers and for messages. */
export const compression = {
  threshold: 1024,
  concurrencyLimit: 10,
  serverNoContextTakeover: true, // a dictionary per connection would cost 300 KB
  clientNoContextTakeover: true,
} as const;

const DEFLATE = "permessage-deflate";

/** The parsers of `ws` for a client's offers, which its types omit. */
interface OfferReaders {
  readonly subprotocol: { parse(field: string): Set<string> };
  readonly extension: {
    parse(field: string): Readonly<Record<string, object[] | undefined>>;
    format(offers: Readonly<Record<string, object[]>>): string;
  };
  readonly PerMessageDeflate: new (options: object) => { accept(offers: object[]): object };
}

/** Returns the extension offer to accept, as a header value, or `null`; throws an `HttpError` 400 for offers that `ws` would refuse. */
export type CheckOffers = (request: HttpRequest, deflate: boolean) => string | null;

/** Creates the check of the offered sub-protocols and extensions. Without it `ws` would refuse malformed offers after the app has replied with 101. */
export const createCheckOffers = (ws: typeof Ws): CheckOffers => {
  const { subprotocol, extension, PerMessageDeflate } = ws as unknown as OfferReaders;
  const isAcceptable = (offer: string): boolean => {
    const parameters = extension.parse(offer)[DEFLATE] ?? [];
    try {
      new PerMessageDeflate({ ...compression, isServer: true }).accept(parameters);
      return true;
    } catch {
      return false; // declined, as RFC 7692 7 requires for unknown and repeated parameters
    }
  };
  const acceptableOf = (field: string): string | null => {
    const offers = extension.parse(field)[DEFLATE] ?? [];
    return offers.map((offer) => extension.format({ [DEFLATE]: [offer] })).find(isAcceptable) ?? null;
  };
  return (request, deflate) => {
    const protocols = request.getHeader("sec-websocket-protocol");
    if (protocols !== null)
      orBadRequest(
        () => subprotocol.parse(protocols),
        "Sec-WebSocket-Protocol is malformed or repeats a name",
      );
    const extensions = request.getHeader("sec-websocket-extensions");
    if (!deflate || extensions === null) return null;
    checkWindowBits(request);
    return orBadRequest(() => acceptableOf(extensions), "Sec-WebSocket-Extensions is malformed");
  };
};

const orBadRequest = <T>(work: () => T, mistake: string): T => {
  try {
    return work();
  } catch (cause) {
    throw new HttpError(400, mistake, { cause });
  }
};
