const REPLIES = "replies.";
const REPLIES_OF_PROCESS = /^replies\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Topic of the replies to one process. @param instance unique id of the process */
export const replyTopicOf = (instance: string): string => `${REPLIES}${instance}`;

/** Whether replies may be sent to a topic. */
export const takesReplies = (topic: string): boolean =>
  topic.startsWith(REPLIES) && /^[\w.-]{1,100}$/.test(topic);

/** Whether a topic is that of a process, and ends with it: without a group it has ended, and nothing waits for what is sent to it. */
export const endsWithProcess = (topic: string): boolean => REPLIES_OF_PROCESS.test(topic);
