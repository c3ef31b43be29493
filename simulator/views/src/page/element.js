'use strict';
// What the scripts of both pages make elements by.
const byId = (id) => document.getElementById(id);

// An element with attributes and children; text is never taken for markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}
