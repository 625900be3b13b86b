const REPLIES = "replies.";
const REPLIES_OF_PROCESS = /^replies\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns the reply topic of a process. @param instance unique id of the process */
export const replyTopicOf = (instance: string): string => `${REPLIES}${instance}`;

/** Whether a topic is the reply topic of a process; replies are sent to no other topics. Such a topic ends with its process: if it has no group, the process has ended, and messages to it are dropped. */
export const endsWithProcess = (topic: string): boolean => REPLIES_OF_PROCESS.test(topic);
