/** Returns the queue name of a URL. */
export const nameOfUrl = (url: string): string => new URL(url).pathname.split("/").at(-1) ?? "";

/** Returns the topic of a queue URL: the queue name without `.fifo`. */
export const topicOfUrl = (url: string): string => nameOfUrl(url).replace(/\.fifo$/, "");
