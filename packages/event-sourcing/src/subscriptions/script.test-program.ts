// Only a subscription keeps this process running.
import { openEventStore } from "@framework/event-sourcing";

const store = await openEventStore({ storeType: "memory" });
const subscription = store.subscribe({}, ({ stream }) => {
  console.log(stream);
  void subscription.stop();
});
setTimeout(() => void store.append("loan-1", { type: "BookBorrowed", data: {} }), 100).unref();
await subscription.done;
await store.close();
