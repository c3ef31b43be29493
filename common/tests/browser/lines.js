return [...document.querySelectorAll('#listing button')].map((button) => button.dataset.line).map((place) => {
    document.querySelector(`#listing button[data-line="${place}"]`).click();
    return [place, [...document.querySelectorAll('#line .access')].map((access) => ({
        counts: [...access.querySelectorAll('svg')].map((svg) => Number(svg.dataset.count)),
        labels: [...access.querySelectorAll('svg')].map((svg) => svg.getAttribute('aria-label')),
        text: access.querySelector('p').textContent,
        lanes: access.querySelectorAll('details tbody tr').length,
    }))];
})
