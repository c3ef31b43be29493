// Figures can be made larger than the window.
function makeZoomable() {
  for (const figure of document.querySelectorAll('figure')) {
    const panels = figure.querySelector('.panels');
    let scale = 1;
    const zoom = (factor) => {
      scale = Math.min(4, Math.max(1, scale * factor));
      panels.style.setProperty('--scale', scale);
    };
    const button = (text, label, factor) =>
      element('button', { type: 'button', 'aria-label': `${label} this figure`, onclick: () => zoom(factor) }, text);
    figure.querySelector('figcaption strong').after(element('span', { class: 'zoom' }, button('+', 'enlarge', 1.5), button('−', 'reduce', 1 / 1.5)));
  }
}

showAnswer();
showExperiment();
if (!document.querySelector('figure')) leaveOut('figures');
showTimelines();
showResults();
showSource();
showFindings();
makeZoomable();
document.documentElement.dataset.ready = 'true';
