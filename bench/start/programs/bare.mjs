// The minimal program: only the start of Node.
console.log("ready");
