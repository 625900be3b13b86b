import { isDeepStrictEqual } from "node:util";
import { type Exchange, exchanges } from "./exchanges.ts";

/** Sends the requests of the contract in order, and returns how the replies differ from it; empty if the service meets the contract. */
export const differences = async (url: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const exchange of exchanges) {
    const problem = await differenceOf(url, exchange);
    if (problem !== null) found.push(`${exchange.name}: ${problem}`);
  }
  return found;
};

const differenceOf = async (url: string, exchange: Exchange): Promise<string | null> => {
  const { method, path, key = "", body, ...expected } = exchange;
  const reply = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(key !== "" && { "x-api-key": key }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  const actual = {
    status: reply.status,
    json: jsonOf(text),
    location: pathOf(reply.headers.get("location")),
  };
  if (actual.status !== expected.status)
    return `status ${actual.status} instead of ${expected.status}: ${text}`;
  if (expected.location !== undefined && actual.location !== expected.location)
    return `Location ${actual.location} instead of ${expected.location}`;
  if (expected.json !== undefined && !isDeepStrictEqual(actual.json, expected.json))
    return `${text} instead of ${JSON.stringify(expected.json)}`;
  return null;
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text; // not JSON, so it differs from the expected value
  }
};

/** Returns the path: some frameworks send absolute URLs, which RFC 9110 10.2.2 also allows. */
const pathOf = (location: string | null): string | null =>
  location === null ? null : new URL(location, "http://service").pathname;
