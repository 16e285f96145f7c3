// What a widget does when it is ready: it remembers the visitor.
const visitor = Array.from({ length: 20000 }, (_, i) => (i * 2654435761) >>> 0).sort((a, b) => a - b);
document.title = `Chat ${visitor.length}`;
