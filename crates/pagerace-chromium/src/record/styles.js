// Returns, for the text of each style sheet, the rules that elements of the first screen match: those that
// begin above its lower edge, and those without a box, which styles may hide. Rules count for all media but
// print, because the sheet is the same for other screens. Rules for elements that a person points at or
// has selected are left out. A sheet whose rules are not compared within the given milliseconds has none.
(texts, patience) => {
  const until = performance.now() + patience;
  const LATER = /:(?:hover|active|focus(?:-visible|-within)?|target|visited)(?![\w-])/g;
  const PSEUDO = /(^|[\s,>+~(])?::?(?:before|after|first-line|first-letter|marker|backdrop|placeholder|selection|file-selector-button|-(?:webkit|moz|ms|o)-[\w-]+)(?:\([^)]*\))?(?![\w-])/g;
  const first = new Set([...document.querySelectorAll('html, body, body *')]
    .filter((element) => element.getBoundingClientRect().top < innerHeight));
  const families = new Set();
  const motions = new Set();
  for (const element of first) {
    for (const pseudo of [null, '::before', '::after']) {
      const style = getComputedStyle(element, pseudo);
      families.add(style.fontFamily);
      motions.add(style.animationName);
    }
  }
  const names = (all, quoted) => [...all].some((list) => list.split(',')
    .some((name) => name.trim().replace(/^["']|["']$/g, '').toLowerCase() === quoted.toLowerCase()));
  const matches = (selector) => {
    if (performance.now() > until) throw new Error('late');
    const still = selector.replace(LATER, ':not(*)')
      .replace(PSEUDO, (_, before) => (before === undefined ? '' : `${before}*`));
    try {
      return [...document.querySelectorAll(still)].some((element) => first.has(element));
    } catch {
      return false;
    }
  };
  const kept = (rules) => [...rules].map((rule) => {
    if (rule instanceof CSSStyleRule) return matches(rule.selectorText) ? rule.cssText : '';
    if (rule instanceof CSSFontFaceRule) {
      const family = rule.style.getPropertyValue('font-family').replace(/^["']|["']$/g, '');
      return names(families, family) ? rule.cssText : '';
    }
    if (rule instanceof CSSKeyframesRule) return names(motions, rule.name) ? rule.cssText : '';
    if (rule instanceof CSSMediaRule && /^(only )?print$/.test(rule.conditionText)) return '';
    // Media, conditions, layers and containers group rules.
    if (rule.cssRules) {
      const inside = kept(rule.cssRules);
      return inside ? `${rule.cssText.slice(0, rule.cssText.indexOf('{'))}{${inside}}` : '';
    }
    return rule.cssText;
  }).join('');
  return texts.map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    try {
      return kept(sheet.cssRules);
    } catch {
      return '';
    }
  });
}
