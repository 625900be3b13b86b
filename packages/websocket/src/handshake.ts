import { ForbiddenError, HttpError, type HttpRequest, type Upgrade } from "@framework/core";
import { isOwnOrigin, OriginAllowed } from "@framework/core/feature";

/** 16 bytes in Base64. */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

/** Matches a parameter of `permessage-deflate` for a window size, with its value. */
const WINDOW_BITS = /(?:server|client)_max_window_bits[\t ]*=[\t ]*"?([^\t ",;]*)/g;

/**
 * Checks the window sizes that a client offers for compression.
 *
 * @throws HttpError 400 for anything but a decimal number from 8 to 15 without leading zeros (RFC 7692 7.1.2)
 */
export const checkWindowBits = (request: HttpRequest): void => {
  const offer = request.getHeader("sec-websocket-extensions") ?? "";
  for (const [, bits = ""] of offer.matchAll(WINDOW_BITS)) {
    if (!/^(?:[89]|1[0-5])$/.test(bits))
      throw new HttpError(400, "Sec-WebSocket-Extensions has a malformed window size");
  }
};

/**
 * Checks a WebSocket handshake (RFC 6455 4.2) and returns its upgrade.
 *
 * @throws HttpError 426 for anything but a WebSocket handshake of version 13, 400 for a bad key, 403 for a disallowed origin
 */
export const checkHandshake = (request: HttpRequest, origins: readonly string[]): Upgrade => {
  const { upgrade } = request;
  const version = request.getHeader("sec-websocket-version");
  if (upgrade === null || version !== "13") {
    throw new HttpError(426, "This path requires WebSocket", {
      headers: { upgrade: "websocket", "sec-websocket-version": "13" },
    });
  }
  if (!KEY.test(request.getHeader("sec-websocket-key") ?? "")) {
    throw new HttpError(400, "Sec-WebSocket-Key is not 16 bytes in Base64");
  }
  checkOrigin(request, origins);
  return upgrade;
};

/** Checks the origin: browsers send cookies with every handshake, without a preflight, so pages of other origins need explicit permission. */
const checkOrigin = (request: HttpRequest, origins: readonly string[]): void => {
  const origin = request.getHeader("origin");
  if (origin === null || isOwnOrigin(origin, request)) return;
  if (origins.includes(origin) || request.context.get(OriginAllowed)) return;
  throw new ForbiddenError("Pages of this origin may not connect");
};

const upgradeFields = [
  "upgrade",
  "connection",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-protocol",
  "sec-websocket-extensions",
] as const;

/** Returns the header fields of the handshake that `ws` reads. */
export const handshakeFields = (request: HttpRequest): Record<string, string> => {
  const fields: Record<string, string> = {};
  for (const name of upgradeFields) {
    const value = request.getHeader(name);
    if (value !== null) fields[name] = value;
  }
  return fields;
};
