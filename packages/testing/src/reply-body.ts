/** Returns the reply with an abortable body: when the signal aborts, the body fails with the signal's reason, and its source is cancelled. */
export const withAbortableBody = (signal: AbortSignal, response: Response): Response => {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const live = body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal });
  return new Response(live, { status, statusText, headers });
};

/** Cancels the body of a reply that arrives after its call was aborted. */
export const cancelReply = (reply: Promise<Response>): void => {
  reply.then((response) => response.body?.cancel()).catch(() => {}); // the caller already has the error
};
