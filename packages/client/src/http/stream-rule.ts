/** Decides by status and header fields whether a reply is a stream. It must not read the body. */
export type StreamRule = (reply: Response) => boolean;
