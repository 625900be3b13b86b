import { ForbiddenError, HttpError, type HttpRequest, type Upgrade } from "@framework/core";
import { OriginAllowed } from "@framework/core/feature";

/** 16 bytes in Base64. */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

/**
 * Checks a WebSocket handshake (RFC 6455 4.2) and returns its upgrade.
 *
 * @throws HttpError 426 for anything but a WebSocket handshake of version 13, 400 for a bad key, 403 for a disallowed origin
 */
export const checkHandshake = (request: HttpRequest, origins: readonly string[]): Upgrade => {
  const { upgrade } = request;
  const version = request.getHeader("sec-websocket-version");
  if (upgrade === null || version !== "13") {
    throw new HttpError(426, "This path speaks WebSocket, version 13", {
      headers: { upgrade: "websocket", "sec-websocket-version": "13" },
    });
  }
  if (!KEY.test(request.getHeader("sec-websocket-key") ?? "")) {
    throw new HttpError(400, "Sec-WebSocket-Key is not 16 bytes in Base64");
  }
  checkOrigin(request, origins);
  return upgrade;
};

/** Browsers send cookies with every handshake and no preflight, so a page of another origin must be allowed explicitly. */
const checkOrigin = (request: HttpRequest, origins: readonly string[]): void => {
  const origin = request.getHeader("origin");
  if (origin === null || origin === `${request.scheme}://${request.host}`) return;
  if (origins.includes(origin) || request.context.get(OriginAllowed)) return;
  throw new ForbiddenError("Pages of this origin may not connect");
};

const HANDSHAKE_FIELDS = [
  "upgrade",
  "connection",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-protocol",
  "sec-websocket-extensions",
] as const;

/** Returns the header fields of the handshake, by the names that `ws` reads. */
export const handshakeFields = (request: HttpRequest): Record<string, string> => {
  const fields: Record<string, string> = {};
  for (const name of HANDSHAKE_FIELDS) {
    const value = request.getHeader(name);
    if (value !== null) fields[name] = value;
  }
  return fields;
};
