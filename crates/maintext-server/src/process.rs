//! Figures of the own process for Prometheus, under the names that its client libraries use.
use std::fs;
use std::path::Path;

/// Clock ticks per second in `/proc/self/stat`: a constant of Linux's interface.
const TICKS: f64 = 100.0;

/// A metric: name, kind, help and value.
pub type Figure = (&'static str, &'static str, &'static str, f64);

/// Returns the system's figures about this process; nothing on systems without `/proc`.
pub fn figures() -> Vec<Figure> {
    read(Path::new("/proc/self"))
}

fn read(process: &Path) -> Vec<Figure> {
    let (status, stat, limits) =
        (file_text(process, "status"), file_text(process, "stat"), file_text(process, "limits"));
    // The fields behind the name, which may contain blanks: the 14th and 15th of the line are the processor time.
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |n: usize| fields.get(n - 3).and_then(|f| f.parse::<f64>().ok());
    let open = fs::read_dir(process.join("fd")).ok().map(|files| files.count() as f64);
    let most_open = line(&limits, "Max open files").and_then(number);
    let seconds = ticks(14).zip(ticks(15)).map(|(user, system)| (user + system) / TICKS);
    let all = [
        ("process_cpu_seconds_total", "counter", "Processor time in seconds.", seconds),
        ("process_resident_memory_bytes", "gauge", "Resident memory.", kilobytes(&status, "VmRSS:")),
        ("process_resident_memory_max_bytes", "gauge", "Largest resident memory so far.", kilobytes(&status, "VmHWM:")),
        ("process_virtual_memory_bytes", "gauge", "Virtual memory.", kilobytes(&status, "VmSize:")),
        ("process_threads", "gauge", "Threads.", line(&status, "Threads:").and_then(number)),
        ("process_open_fds", "gauge", "Open file descriptors.", open),
        ("process_max_fds", "gauge", "Largest number of file descriptors.", most_open),
    ];
    all.into_iter().filter_map(|(name, kind, help, value)| Some((name, kind, help, value?))).collect()
}

fn file_text(process: &Path, name: &str) -> String {
    fs::read_to_string(process.join(name)).unwrap_or_default()
}

fn kilobytes(status: &str, key: &str) -> Option<f64> {
    number(line(status, key)?).map(|k| k * 1024.0)
}

fn line<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key))
}

fn number(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_proc() {
        let folder = std::env::temp_dir().join(format!("maintext-proc-{}", std::process::id()));
        fs::create_dir_all(folder.join("fd")).unwrap();
        fs::write(folder.join("fd/0"), "").unwrap();
        fs::write(folder.join("status"), "Name:\ta\nVmSize:\t  30 kB\nVmRSS:\t  20 kB\nThreads:\t7\n").unwrap();
        fs::write(folder.join("stat"), "12 (a) b) S 1 1 1 0 -1 0 0 0 0 0 250 50 0 0 20").unwrap();
        fs::write(
            folder.join("limits"),
            "Limit  Soft  Hard\nMax open files            1024                 4096     files\n",
        )
        .unwrap();
        let found = read(&folder);
        let of = |name: &str| found.iter().find(|f| f.0 == name).map(|f| f.3);
        assert_eq!((of("process_cpu_seconds_total"), of("process_resident_memory_bytes")), (Some(3.0), Some(20480.0)));
        assert_eq!(
            (of("process_threads"), of("process_open_fds"), of("process_max_fds")),
            (Some(7.0), Some(1.0), Some(1024.0))
        );
        assert_eq!(of("process_resident_memory_max_bytes"), None);
        fs::remove_dir_all(&folder).unwrap();
        assert!(read(&folder).is_empty());
    }
}
