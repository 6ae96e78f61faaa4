// Measures every report in a frame, and posts the results to the test.
const errors = [];
window.addEventListener('error', event => errors.push(String(event.message)));

const rgb = colour => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
const luminance = colour => {
  const [r, g, b] = rgb(colour).map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one, other) => {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
};
const within = (inner, outer) =>
  inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;

function figure(element) {
  const drawing = element.querySelector('.scroll > svg');
  const area = drawing.getBoundingClientRect();
  const marks = [...drawing.querySelectorAll('.mark')];
  const drawn = marks.filter(mark => {
    const box = mark.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && within(box, area);
  });
  const texts = [...drawing.querySelectorAll('text')];
  // Fonts are given in units of the drawing, which is scaled to the page.
  const scale = area.width / drawing.viewBox.baseVal.width;
  const sizes = texts.map(text => parseFloat(getComputedStyle(text).fontSize) * scale);
  return {
    id: element.id, marks: marks.length, drawn: drawn.length, width: area.width, height: area.height,
    smallest_text: Math.min(...sizes), clipped: texts.filter(text => !within(text.getBoundingClientRect(), area)).length,
  };
}

function view(frame) {
  const page = frame.contentDocument, style = element => frame.contentWindow.getComputedStyle(element);
  const background = style(page.body).backgroundColor;
  const words = [...page.querySelectorAll('h1, h2, h3, p, li, a, th, td, small, figcaption, summary, pre')];
  const ours = [...page.querySelectorAll('.mark.ours')].map(mark => style(mark).fill);
  const published = [...page.querySelectorAll('path.mark.published')].map(mark => style(mark).stroke);
  const worst = colours => Math.min(...colours.map(colour => contrast(colour, background)));
  return {
    width: frame.contentWindow.innerWidth, background, scripts: page.scripts.length,
    foreign: page.querySelectorAll('img, iframe, object, embed, link, form, [onerror], [onload], [onclick]').length,
    groups: page.querySelectorAll('details.group').length,
    overflows: page.documentElement.scrollWidth > frame.contentWindow.innerWidth,
    figures: [...page.querySelectorAll('figure')].map(figure),
    contrast: {
      text: worst([...words.map(word => style(word).color), ...[...page.querySelectorAll('svg text.tick, svg text.axis, svg text.task')].map(text => style(text).fill)]),
      series: worst([...ours, ...published]),
    },
  };
}

window.addEventListener('load', () => {
  const views = {};
  for (const frame of document.querySelectorAll('iframe')) views[frame.name] = view(frame);
  fetch('/measured', { method: 'POST', body: JSON.stringify({ errors, views }) });
});
