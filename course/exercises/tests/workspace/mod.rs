//! A student's workspace.

use exercises::table::Course;
use std::fs;
use std::path::Path;

/// Writes what the judge and the loop read of the workspace `root`: the table, the sheets, the figures, every exercise as it is handed out.
pub fn write(root: &Path, folder: &Path) {
    let course = Course::read(root).expect("course.toml");
    let put = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    };
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("text");
    for path in [Course::FILE, "course/exercises/reference.json"] {
        put(path, &read(path));
    }
    for lab in &course.labs {
        put(&lab.sheet, &read(&lab.sheet));
        put(&lab.answers, &course.answers(lab));
    }
    for exercise in &course.exercises {
        let starter = course.starter(exercise).expect("a starter");
        put(&exercise.file, &starter);
        put(&format!("{}/{}", Course::STARTERS, exercise.file), &starter);
    }
}
