/** Timeout of a whole fetch, in milliseconds. */
const TIMEOUT_MS = 5000;
/** Maximum size of a key set, in bytes. */
const MAX_BYTES = 262_144;
/** Maximum number of keys in a set. */
const MAX_KEYS = 100;

/** Fetches a key set, without redirects, within 5 s, at most 256 KiB and 100 keys. @throws Error with the reason */
export const readKeySet = async (
  url: string,
  fetch: typeof globalThis.fetch,
): Promise<readonly unknown[]> => {
  const headers = { accept: "application/jwk-set+json, application/json" };
  const reply = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (reply.status !== 200) {
    await reply.body?.cancel();
    throw new Error(`the reply of the key set has status ${reply.status}`);
  }
  const { keys } = (JSON.parse(await limitedText(reply)) ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error("the key set has no list of keys");
  if (keys.length > MAX_KEYS) throw new Error(`the key set has more than ${MAX_KEYS} keys`);
  return keys;
};

const limitedText = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [text, bytes] = ["", 0];
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`the key set has more than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};
