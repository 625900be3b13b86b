/** The same reply with a body that fails with the signal's reason when it aborts, and lets its source go. */
export const endingOn = (signal: AbortSignal, response: Response): Response => {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const live = body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal });
  return new Response(live, { status, statusText, headers });
};

/** Ends the body of a reply that comes after its caller has left. */
export const letGo = (reply: Promise<Response>): void => {
  reply.then((late) => late.body?.cancel()).catch(() => {}); // the caller has been told already why there is no reply
};
