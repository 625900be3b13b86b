/** Name of the queue that a URL leads to. */
export const nameOfUrl = (url: string): string => new URL(url).pathname.split("/").at(-1) ?? "";

/** The topic that a queue which exists stands for: its name, without `.fifo`. */
export const topicOfUrl = (url: string): string => nameOfUrl(url).replace(/\.fifo$/, "");
