import type { EnabledFeatures } from "./row.test-kit.ts";
import { pageText } from "./stack.test-kit.ts";
import type { ToggleName } from "./toggles.test-kit.ts";

export const always =
  <T>(value: T) =>
  (): T =>
    value;
export const when =
  <T>(name: ToggleName, yes: T, no: T) =>
  (enabled: EnabledFeatures): T =>
    enabled.has(name) ? yes : no;
export const noRoute = always(null);
export const gzip = { "accept-encoding": "gzip" };
export const plain = { "accept-encoding": "identity" };
export const preflight = { "access-control-request-method": "GET" };
export const bearer = { authorization: "Bearer token" };
export const ok = { status: always(200), text: pageText };
export const compressed = { ...ok, headers: gzip, isCompressed: true };
export const revalidated = (enabled: EnabledFeatures): number =>
  enabled.has("etag") || enabled.has("cache") ? 304 : 200;
