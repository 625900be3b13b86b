/** Statuses whose replies cannot have a body (WHATWG Fetch 2.2.3). */
const bodiless: readonly number[] = [101, 103, 204, 205, 304];

type ReplyHead = Pick<Response, "status" | "headers">;

/** Whether a reply has no bytes, by the method of its request, its status, or a length of 0. */
export const isEmpty = (method: string, { status, headers }: ReplyHead): boolean =>
  isBodiless(method, status) || headers.get("content-length") === "0";

/** Returns an empty reply: without a body if HTTP allows none, and with an empty body for a length of 0, like web `fetch`. */
export const emptyReply = (method: string, head: ReplyHead & { readonly statusText?: string }): Response => {
  const { status, statusText = "", headers } = head;
  return new Response(isBodiless(method, status) ? null : new Uint8Array(0), { status, statusText, headers });
};

const isBodiless = (method: string, status: number): boolean =>
  method === "HEAD" || bodiless.includes(status);
